module velodrome/contenders/go/program

go 1.24

require github.com/goccy/go-json v0.12.0
