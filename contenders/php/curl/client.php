<?php

declare(strict_types=1);

$curl = curl_init();
curl_setopt($curl, CURLOPT_FAILONERROR, true);

while (($line = fgets(STDIN)) !== false) {
    [$url, $out] = explode("\t", rtrim($line, "\n"));

    $start = hrtime(true);
    $error = get($curl, $url, $out);
    $nanoseconds = hrtime(true) - $start;
    clearstatcache();
    fwrite(STDOUT, "$nanoseconds\t" . ($error === null ? filesize($out) : "error: $error") . "\n");
}

function get(CurlHandle $curl, string $url, string $out): ?string
{
    $file = fopen($out, 'wb');
    curl_setopt($curl, CURLOPT_URL, $url);
    curl_setopt($curl, CURLOPT_FILE, $file);
    $done = curl_exec($curl);
    fclose($file);
    $status = curl_getinfo($curl, CURLINFO_RESPONSE_CODE);
    return match (true) {
        !$done => curl_error($curl),
        $status !== 200 => "status $status",
        default => null,
    };
}
