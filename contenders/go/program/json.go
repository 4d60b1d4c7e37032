//go:build !go_json

package main

import "encoding/json"

var unmarshal = json.Unmarshal
