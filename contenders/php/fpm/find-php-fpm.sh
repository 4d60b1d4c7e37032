# Prints the php-fpm to use. Debian puts its version into the name, and /usr/sbin is not on everybody's PATH.
PATH="$PATH:/usr/local/sbin:/usr/sbin"
IFS=:
for folder in $PATH; do
    found=$(ls "$folder"/php-fpm "$folder"/php-fpm[0-9]* 2>/dev/null | sort -V | tail -n 1)
    if [ -n "$found" ]; then
        echo "$found"
        exit
    fi
done
echo "php-fpm not found" >&2
exit 1
