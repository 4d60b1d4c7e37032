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
} elseif ($path === '/Perf/Echo') {
    allow('GET');
    $name = $_GET['name'] ?? null;
    $x = filter_var($_GET['x'] ?? null, FILTER_VALIDATE_INT);
    $y = filter_var($_GET['y'] ?? null, FILTER_VALIDATE_INT);
    $e = filter_var($_GET['e'] ?? null, FILTER_VALIDATE_INT, ['options' => ['min_range' => 2, 'max_range' => 4]]);
    $size = filter_var($_GET['size'] ?? 0, FILTER_VALIDATE_INT, ['options' => ['max_range' => 16 * 1024 * 1024]]);
    if (!is_string($name) || !preg_match('//u', $name)) {
        text('name must be UTF-8', 400);
    } elseif ($x === false || $y === false || $e === false || $size === false) {
        text('x, y and size must be numbers, and e 2, 3 or 4', 400);
    } else {
        $body = json_encode(['Name' => $name, 'Sum' => ($x + $y) * $e]);
        if (strlen($body) < $size) {
            $name .= str_repeat('x', $size - strlen($body));
            $body = json_encode(['Name' => $name, 'Sum' => ($x + $y) * $e]);
        }
        header('Content-Type: application/json');
        echo $body;
    }
} elseif (preg_match('~^/user/([^/]+)$~D', $path, $match)) {
    allow('GET');
    text(rawurldecode($match[1]));
} elseif (preg_match('~^/wait/(\d+)$~D', $path, $match)) {
    allow('GET');
    $ms = (int) $match[1];
    if ($ms <= 60000) {
        usleep($ms * 1000);
        text("waited $match[1]");
    } else {
        text('at most 60000 milliseconds', 400);
    }
} elseif (preg_match('~^/users/(\d+)$~D', $path, $match)) {
    allow('PUT');
    $password = json_decode(file_get_contents('php://input'), true)['password'] ?? null;
    if (!is_string($password)) {
        text('password must be a string', 400);
    } elseif (!has_user((int) $match[1])) {
        text('Not Found', 404);
    } else {
        header('Content-Type: application/json');
        echo json_encode(['hash' => hash('sha512', $password)]);
    }
} elseif (preg_match('~^/Perf/(Flags|Array|Void|Status|Throw)$~D', $path, $match)) {
    allow('GET');
    perform($match[1]);
} else {
    text('Not Found', 404);
}

function perform(string $operation): void
{
    switch ($operation) {
        case 'Flags':
            header('Content-Type: application/json');
            echo json_encode(['Flags' => (int) ($_GET['f'] ?? 0)]);
            break;
        case 'Array':
            header('Content-Type: application/json');
            echo json_encode(['Sum' => array_sum(array_map('intval', (array) ($_GET['a'] ?? [])))]);
            break;
        case 'Status':
            http_response_code((int) ($_GET['code'] ?? 0));
            break;
        case 'Throw':
            throw new RuntimeException('velo-secret-detail');
    }
}

function has_user(int $id): bool
{
    foreach (json_decode(file_get_contents(getenv('DATA_DIR') . '/user.json'), true) as $user) {
        if ($user['id'] === $id) {
            return true;
        }
    }
    return false;
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
