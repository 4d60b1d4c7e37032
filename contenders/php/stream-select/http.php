<?php

declare(strict_types=1);

const MAX_HEAD = 8 * 1024;
const MAX_BODY = 64 * 1024;

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]++";
const REQUEST_LINE = TOKEN . ' [^\x00-\x20\x7f]++ HTTP/1\.[01]';
const HEAD = REQUEST_LINE . '(?:\r\n' . TOKEN . ':[^\r\n\x00]*+)*+';

const REASONS = [
    200 => 'OK',
    400 => 'Bad Request',
    404 => 'Not Found',
    405 => 'Method Not Allowed',
    413 => 'Content Too Large',
    417 => 'Expectation Failed',
    431 => 'Request Header Fields Too Large',
    501 => 'Not Implemented',
];

final class Request
{
    public function __construct(
        public readonly string $method,
        public readonly string $target,
        public readonly string $body,
        public readonly bool $oldVersion,
        public readonly bool $keepAlive,
        /** Where the next request starts in the input. */
        public readonly int $end,
    ) {
    }
}

/** Reads the request that starts at $start: null when more input is needed, a status when it has to be refused. */
function parse(string $input, int $start): Request|int|null
{
    $headEnd = strpos($input, "\r\n\r\n", $start);
    if ($headEnd === false) {
        return refusal_of_part($input, $start);
    }
    if ($headEnd - $start > MAX_HEAD) {
        return 431;
    }
    $head = substr($input, $start, $headEnd - $start);
    if (preg_match('{^' . HEAD . '$}D', $head) !== 1) {
        return 400;
    }
    [$method, $target, $version] = explode(' ', strstr("$head\r\n", "\r\n", true));
    $oldVersion = $version === 'HTTP/1.0';

    $keepAlive = !$oldVersion;
    $length = null;
    $hosts = 0;
    preg_match_all(
        '{\r\n(host|connection|content-length|transfer-encoding|expect):[ \t]*+([^\r\n]*+)}i',
        $head,
        $fields,
        PREG_SET_ORDER,
    );
    foreach ($fields as [, $name, $value]) {
        $value = rtrim($value, " \t");
        switch (strtolower($name)) {
            case 'host':
                $hosts++;
                break;
            case 'connection':
                $keepAlive = keep_alive($value, $keepAlive);
                break;
            case 'content-length':
                $digits = strspn($value, '0123456789');
                if ($digits === 0 || $digits > 9 || $digits !== strlen($value)) {
                    return 400;
                }
                if ($length !== null && $length !== (int) $value) {
                    return 400;
                }
                $length = (int) $value;
                break;
            case 'transfer-encoding':
                return 501;
            case 'expect':
                return 417;
        }
    }
    if ($hosts > 1 || ($hosts === 0 && !$oldVersion)) {
        return 400;
    }
    $length ??= 0;
    if ($length > MAX_BODY) {
        return 413;
    }

    $bodyStart = $headEnd + 4;
    if (strlen($input) < $bodyStart + $length) {
        return null;
    }
    $body = substr($input, $bodyStart, $length);
    return new Request($method, $target, $body, $oldVersion, $keepAlive, $bodyStart + $length);
}

/** A head that is not complete can already be too long, or have a first line that is none. */
function refusal_of_part(string $input, int $start): ?int
{
    if (strlen($input) - $start > MAX_HEAD) {
        return 431;
    }
    $lineEnd = strpos($input, "\n", $start);
    if ($lineEnd === false) {
        return null;
    }
    $line = substr($input, $start, $lineEnd + 1 - $start);
    return preg_match('{^' . REQUEST_LINE . '\r\n$}D', $line) === 1 ? null : 400;
}

function keep_alive(string $options, bool $default): bool
{
    foreach (explode(',', strtolower($options)) as $option) {
        switch (trim($option, " \t")) {
            case 'close':
                return false;
            case 'keep-alive':
                $default = true;
                break;
        }
    }
    return $default;
}

function response(int $status, string $headers, string $body, string $connection): string
{
    static $second = 0, $date = '';
    if ($second !== time()) {
        $second = time();
        $date = gmdate('D, d M Y H:i:s', $second) . ' GMT';
    }
    return "HTTP/1.1 $status " . REASONS[$status] . "\r\nDate: $date\r\n$headers$connection"
        . 'Content-Length: ' . strlen($body) . "\r\n\r\n$body";
}
