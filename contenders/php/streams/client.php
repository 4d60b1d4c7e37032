<?php

declare(strict_types=1);

while (($line = fgets(STDIN)) !== false) {
    [$url, $out] = explode("\t", rtrim($line, "\n"));

    $start = hrtime(true);
    error_clear_last();
    // What went wrong is told in the answer, and not printed.
    $done = @copy($url, $out);
    $nanoseconds = hrtime(true) - $start;
    clearstatcache();
    $error = preg_replace('/\s+/', ' ', error_get_last()['message'] ?? 'no reason given');
    fwrite(STDOUT, "$nanoseconds\t" . ($done ? filesize($out) : "error: $error") . "\n");
}
