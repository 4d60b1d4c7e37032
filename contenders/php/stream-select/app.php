<?php

declare(strict_types=1);

/** @return array{int, string, string} the status, the response's own header lines, the body */
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
    if (preg_match('~^/user/([^/]+)$~D', $path, $match)) {
        return $request->method === 'GET' ? text(rawurldecode($match[1])) : not_allowed('GET');
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

function text(string $body): array
{
    return [200, "Content-Type: text/plain\r\n", $body];
}

function not_allowed(string $allowed): array
{
    return [405, "Allow: $allowed\r\n", ''];
}
