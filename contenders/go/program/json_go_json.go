//go:build go_json

package main

import "github.com/goccy/go-json"

var unmarshal = json.Unmarshal
