module velodrome/contenders/go/net-http

go 1.24
