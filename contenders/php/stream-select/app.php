<?php

declare(strict_types=1);

const LONGEST_WAIT = 60_000;

/**
 * @return array{0: int, 1: string, 2: string, 3?: int} the status, the response's own header lines, the body, and the
 *     milliseconds to wait before it is sent
 */
function answer(Request $request): array
{
    $path = strstr($request->target, '?', true);
    if ($path === false) {
        $path = $request->target;
    }
    if ($path === '/') {
        return $request->method === 'GET' ? text('') : not_allowed('GET');
    }
    if ($path === '/user') {
        return $request->method === 'POST' ? text('') : not_allowed('POST');
    }
    if ($path === '/coin') {
        return $request->method === 'POST' ? coin($request->body) : not_allowed('POST');
    }
    if ($path === '/Perf/Echo') {
        return $request->method === 'GET' ? perf_echo(substr($request->target, strlen($path) + 1)) : not_allowed('GET');
    }
    if (preg_match('~^/user/([^/]+)$~D', $path, $match)) {
        return $request->method === 'GET' ? text(rawurldecode($match[1])) : not_allowed('GET');
    }
    if (preg_match('~^/wait/(\d+)$~D', $path, $match)) {
        return $request->method === 'GET' ? wait($match[1]) : not_allowed('GET');
    }
    if (preg_match('~^/users/(\d+)$~D', $path, $match)) {
        return $request->method === 'PUT' ? users((int) $match[1], $request->body) : not_allowed('PUT');
    }
    return [404, '', ''];
}

function coin(string $body): array
{
    $bet = json_decode($body, true)['bet'] ?? null;
    if (!is_bool($bet)) {
        return [400, '', ''];
    }
    return [200, "Content-Type: application/json\r\n", json_encode(['win' => (mt_rand(0, 1) === 1) === $bet])];
}

function perf_echo(string $query): array
{
    parse_str($query, $get);
    $name = $get['name'] ?? null;
    $x = filter_var($get['x'] ?? null, FILTER_VALIDATE_INT);
    $y = filter_var($get['y'] ?? null, FILTER_VALIDATE_INT);
    $e = filter_var($get['e'] ?? null, FILTER_VALIDATE_INT, ['options' => ['min_range' => 2, 'max_range' => 4]]);
    $size = filter_var($get['size'] ?? 0, FILTER_VALIDATE_INT, ['options' => ['max_range' => 16 * 1024 * 1024]]);
    if (!is_string($name) || !preg_match('//u', $name)) {
        return [400, '', ''];
    }
    if ($x === false || $y === false || $e === false || $size === false) {
        return [400, '', ''];
    }
    $echoed = ['Name' => $name, 'Sum' => ($x + $y) * $e];
    $missing = $size > 0 ? $size - strlen(json_encode($echoed)) : 0;
    $echoed['Name'] .= str_repeat('x', max(0, $missing));
    return [200, "Content-Type: application/json\r\n", json_encode($echoed)];
}

function wait(string $ms): array
{
    return (int) $ms <= LONGEST_WAIT ? [...text("waited $ms"), (int) $ms] : [400, '', ''];
}

function users(int $id, string $body): array
{
    $password = json_decode($body, true)['password'] ?? null;
    if (!is_string($password)) {
        return [400, '', ''];
    }
    foreach (json_decode(file_get_contents(getenv('DATA_DIR') . '/user.json'), true) as $user) {
        if ($user['id'] === $id) {
            $hash = hash('sha512', $password);
            return [200, "Content-Type: application/json\r\n", json_encode(['hash' => $hash])];
        }
    }
    return [404, '', ''];
}

function text(string $body): array
{
    return [200, "Content-Type: text/plain\r\n", $body];
}

function not_allowed(string $allowed): array
{
    return [405, "Allow: $allowed\r\n", ''];
}
