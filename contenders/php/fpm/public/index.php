<?php

declare(strict_types=1);

$path = strtok($_SERVER['REQUEST_URI'], '?');

if ($path === '/') {
    allow('GET');
    text('');
} elseif ($path === '/user') {
    allow('POST');
    text('');
} elseif ($path === '/coin') {
    allow('POST');
    $bet = json_decode(file_get_contents('php://input'), true)['bet'] ?? null;
    if (is_bool($bet)) {
        header('Content-Type: application/json');
        echo json_encode(['win' => (random_int(0, 1) === 1) === $bet]);
    } else {
        text('bet must be true or false', 400);
    }
} elseif (preg_match('~^/user/([^/]+)$~D', $path, $match)) {
    allow('GET');
    text(rawurldecode($match[1]));
} else {
    text('Not Found', 404);
}

function allow(string $method): void
{
    if ($_SERVER['REQUEST_METHOD'] !== $method) {
        header("Allow: $method");
        text('Method Not Allowed', 405);
        exit;
    }
}

function text(string $body, int $status = 200): void
{
    http_response_code($status);
    header('Content-Type: text/plain');
    echo $body;
}
