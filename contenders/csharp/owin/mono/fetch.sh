# Nothing is fetched: all of it is Debian's.
set -eu
if [ ! -e /usr/lib/cli/Newtonsoft.Json-5.0/Newtonsoft.Json.dll ]; then
    echo "libnewtonsoft-json5.0-cil is not installed: apt-get install libnewtonsoft-json5.0-cil" >&2
    exit 1
fi
