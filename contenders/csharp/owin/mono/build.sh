set -eu
mkdir -p target
mcs -langversion:7.2 -optimize+ -define:NEWTONSOFT -r:/usr/lib/cli/Newtonsoft.Json-5.0/Newtonsoft.Json.dll -out:target/owin.exe *.cs kit/*.cs
