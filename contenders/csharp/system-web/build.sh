set -eu
json=/usr/lib/cli/Newtonsoft.Json-5.0/Newtonsoft.Json.dll

# site NAME CONFIG: a folder as IIS would be given, with the assemblies in bin.
site() {
    mkdir -p "target/$1/bin"
    cp "$2" "target/$1/Web.config"
    cp target/host.exe "target/$1/bin/"
}

library() {
    mcs -langversion:7.2 -optimize+ -target:library -r:System.Web "$@"
}

mkdir -p target
mcs -langversion:7.2 -optimize+ -r:System.Web -out:target/host.exe Host.cs WorkerRequest.cs

library -r:"$json" -out:target/handler.dll Echoed.cs handler/*.cs
for name in handler handler-async; do
    site "$name" "handler/$name.config"
    cp target/handler.dll "$json" "target/$name/bin/"
done

library -r:"$json" -out:target/owin.dll Echoed.cs handler/EchoQuery.cs owin/*.cs kit/*.cs
for name in owin owin-async; do
    site "$name" "owin/$name.config"
    cp target/owin.dll "$json" "target/$name/bin/"
done

site mvc mvc/Web.config
cp mvc/Global.asax target/mvc/
cp "$json" target/mvc/bin/
library -r:"$json" -r:System.Web.Mvc -out:target/mvc/bin/mvc.dll Echoed.cs mvc/*.cs
