# The version of each package of Debian beside Mono's: the assemblies say no more than 3.0 or 4.0.
set -eu
echo "$(mono target/host.exe --version), $(dpkg-query -W -f '${Package} ${Version}\n' "$@" | paste -sd , | sed 's/,/, /g')"
