set -eu
echo "$(mono target/owin.exe --version), Newtonsoft.Json $(dpkg-query -W -f '${Version}' libnewtonsoft-json5.0-cil)"
