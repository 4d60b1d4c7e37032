# Nothing is fetched: all of it is Debian's.
set -eu
for package in libnewtonsoft-json5.0-cil libmono-system-web-mvc3.0-cil; do
    if ! dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed; then
        echo "$package is not installed: apt-get install $package" >&2
        exit 1
    fi
done
