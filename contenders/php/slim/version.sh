set -eu

fpm=$(sh find-php-fpm.sh)
PATH="$PATH:/usr/local/sbin:/usr/sbin"

if ! "$fpm" -v | grep -q OPcache; then
    echo "php-fpm runs without opcache" >&2
    exit 1
fi
# Slim 3.12.4 still calls itself 3.12.3, so the package manager is asked first.
slim=$(dpkg-query -W -f '${Version}' php-slim 2>/dev/null || php -r "require 'Slim/autoload.php'; echo Slim\App::VERSION;")
echo "slim $slim, php-fpm $("$fpm" -v | sed -n 's/^PHP \([^ ]*\).*/\1/p'), nginx $(nginx -v 2>&1 | sed 's|.*/||')"
