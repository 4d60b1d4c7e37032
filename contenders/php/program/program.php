<?php

declare(strict_types=1);

$file = getenv('DATA_DIR') . '/user.json';

while (($line = fgets(STDIN)) !== false) {
    [$id, $password] = explode("\t", rtrim($line, "\n"));

    $start = hrtime(true);
    $hash = hash_for((int) $id, $password, $file);
    $nanoseconds = hrtime(true) - $start;
    fwrite(STDOUT, "$nanoseconds\t" . ($hash ?? 'absent') . "\n");
}

function hash_for(int $id, string $password, string $file): ?string
{
    foreach (json_decode(file_get_contents($file), true) as $user) {
        if ($user['id'] === $id) {
            return hash('sha512', $password);
        }
    }
    return null;
}
