#!/usr/bin/env bash
# oci.sh BINARY VERSION ARCHITECTURE FILE: writes a container image that holds the static BINARY and the licences and nothing else,
# as a tar of an OCI image layout, without a container engine. ARCHITECTURE is a name of OCI: amd64, arm64. Times are
# SOURCE_DATE_EPOCH, so that the same program gives the same bytes.
set -euo pipefail
[ $# = 4 ] || { echo "usage: oci.sh BINARY VERSION ARCHITECTURE FILE" >&2; exit 2; }
: "${SOURCE_DATE_EPOCH:?expected the seconds since 1970 that all times are set to}"
binary=$1 version=$2 architecture=$3 file=$4

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/layout/blobs/sha256"
plain_tar() { (cd "$1" && tar --create --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" --format=ustar -- *); }
sum() { sha256sum "$1" | cut -d ' ' -f 1; }
# Moves a file to where its content belongs, and prints how others refer to it.
blob() {
    local digest
    digest=$(sum "$1")
    printf '{"mediaType":"%s","digest":"sha256:%s","size":%s}' "$2" "$digest" "$(stat --format=%s "$1")"
    mv "$1" "$work/layout/blobs/sha256/$digest"
}

# velo keeps what is on its way in /tmp; /work is for what a user mounts.
mkdir -p "$work"/root/{tmp,work,usr/local/bin,usr/share/doc/velo}
install -m 755 "$binary" "$work/root/usr/local/bin/velo"
install -m 644 LICENSE-APACHE LICENSE-MIT "$work/root/usr/share/doc/velo/"
chmod -R u=rwX,go=rX "$work/root"
chmod 1777 "$work/root/tmp"
plain_tar "$work/root" >"$work/layer"
diff_id=$(sum "$work/layer")
gzip --no-name --best "$work/layer"
layer=$(blob "$work/layer.gz" application/vnd.oci.image.layer.v1.tar+gzip)

created=$(date --utc --date="@$SOURCE_DATE_EPOCH" +%Y-%m-%dT%H:%M:%SZ)
platform="\"architecture\":\"$architecture\",\"os\":\"linux\""
labels="\"org.opencontainers.image.title\":\"velo\",\"org.opencontainers.image.version\":\"$version\",\"org.opencontainers.image.licenses\":\"MIT OR Apache-2.0\""
cat >"$work/config" <<JSON
{"created":"$created",$platform,"config":{"Entrypoint":["/usr/local/bin/velo"],"Cmd":["--help"],"WorkingDir":"/work","Labels":{$labels}},"rootfs":{"type":"layers","diff_ids":["sha256:$diff_id"]},"history":[{"created":"$created","created_by":"velo $version"}]}
JSON
config=$(blob "$work/config" application/vnd.oci.image.config.v1+json)
cat >"$work/manifest" <<JSON
{"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json","config":$config,"layers":[$layer],"annotations":{$labels}}
JSON
manifest=$(blob "$work/manifest" application/vnd.oci.image.manifest.v1+json)
cat >"$work/layout/index.json" <<JSON
{"schemaVersion":2,"mediaType":"application/vnd.oci.image.index.v1+json","manifests":[${manifest%\}},"platform":{$platform},"annotations":{"org.opencontainers.image.ref.name":"velo:$version"}}]}
JSON
echo '{"imageLayoutVersion":"1.0.0"}' >"$work/layout/oci-layout"
plain_tar "$work/layout" >"$file"
