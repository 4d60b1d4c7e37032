# nginx and php-fpm in the foreground and in one process group, both with a configuration of their own in WORK_DIR.
set -eu

# php-fpm calls setsid(), which takes it out of its process group, except that the kernel refuses it to a group's
# leader. So this shell has to be the leader, and php-fpm takes its place at the end.
if [ "$(cut -d ' ' -f 5 /proc/$$/stat)" != $$ ]; then
    echo "start.sh has to be the leader of its process group" >&2
    exit 1
fi

fpm=$(sh find-php-fpm.sh)
PATH="$PATH:/usr/local/sbin:/usr/sbin"

# How nginx listens. In clear, `http2` takes connections that begin with the preface of HTTP/2.
case "$PROTOCOL" in
    https1) listen=" ssl" ;;
    h2c) listen=" http2" ;;
    h2) listen=" ssl http2" ;;
    *) listen= ;;
esac
tls=
if [ -n "${TLS_CERT:-}" ]; then
    # The versions that nginx offers by itself since 1.23.4; before, 1.3 is off and 1.0 is on.
    tls="ssl_certificate $TLS_CERT; ssl_certificate_key $TLS_KEY; ssl_protocols TLSv1.2 TLSv1.3;"
fi

for name in nginx php-fpm; do
    sed -e "s|@FOLDER@|$PWD|g" -e "s|@WORK_DIR@|$WORK_DIR|g" -e "s|@HOST@|$HOST|g" -e "s|@PORT@|$PORT|g" \
        -e "s|@LISTEN@|$listen|g" -e "s|@TLS@|$tls|g" \
        -e "s|@USER@|$(id -un)|g" -e "s|@GROUP@|$(id -gn)|g" \
        -e "s|@CORES@|$CORES|g" -e "s|@CHILDREN@|$((5 * CORES))|g" "$name.conf.template" > "$WORK_DIR/$name.conf"
done

# nginx would answer 502 until php-fpm listens.
(
    for attempt in $(seq 100); do
        [ -S "$WORK_DIR/php-fpm.sock" ] && break
        sleep 0.05
    done
    exec nginx -e stderr -p "$WORK_DIR" -c "$WORK_DIR/nginx.conf"
) &

exec "$fpm" --nodaemonize --force-stderr --allow-to-run-as-root \
    --fpm-config "$WORK_DIR/php-fpm.conf" -d opcache.lockfile_path="$WORK_DIR"
