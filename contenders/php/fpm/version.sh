set -eu

fpm=$(sh find-php-fpm.sh)
PATH="$PATH:/usr/local/sbin:/usr/sbin"

if ! "$fpm" -v | grep -q OPcache; then
    echo "php-fpm runs without opcache" >&2
    exit 1
fi
echo "php-fpm $("$fpm" -v | sed -n 's/^PHP \([^ ]*\).*/\1/p'), nginx $(nginx -v 2>&1 | sed 's|.*/||')"
