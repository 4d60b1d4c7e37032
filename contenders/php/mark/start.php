<?php

declare(strict_types=1);

use Mark\App;
use Workerman\Protocols\Http\Request;
use Workerman\Protocols\Http\Response;
use Workerman\Timer;
use Workerman\Worker;

require __DIR__ . '/vendor/autoload.php';

/** Mark sends at once what a handler returns. This encodes to nothing, and workerman does not send nothing. */
final class AnswerLater extends Response
{
    public function __toString(): string
    {
        return '';
    }
}

Worker::$pidFile = getenv('WORK_DIR') . '/workerman.pid';
Worker::$logFile = getenv('WORK_DIR') . '/workerman.log';

$api = new App('http://' . getenv('HOST') . ':' . getenv('PORT'));
$api->count = (int) getenv('CORES');

$api->get('/', function (Request $request) {
    return '';
});

$api->get('/user/{id}', function (Request $request, string $id) {
    return rawurldecode($id);
});

$api->post('/user', function (Request $request) {
    return '';
});

$api->post('/coin', function (Request $request) {
    $bet = json_decode($request->rawBody(), true)['bet'] ?? null;
    if (!is_bool($bet)) {
        return new Response(400, [], 'bet must be true or false');
    }
    $win = (mt_rand(0, 1) === 1) === $bet;
    return new Response(200, ['Content-Type' => 'application/json'], json_encode(['win' => $win]));
});

$api->get('/wait/{ms:\d+}', function (Request $request, string $ms) {
    if ((int) $ms > 60000) {
        return new Response(400, [], 'at most 60000 milliseconds');
    }
    $answer = new Response(200, ['Content-Type' => 'text/plain'], "waited $ms");
    if ((int) $ms === 0) {
        return $answer;
    }
    $connection = $request->connection;
    Timer::add((int) $ms / 1000, fn () => $connection->send($answer), [], false);
    return new AnswerLater();
});

$api->get('/Perf/Echo', function (Request $request) {
    $name = $request->get('name');
    $x = filter_var($request->get('x'), FILTER_VALIDATE_INT);
    $y = filter_var($request->get('y'), FILTER_VALIDATE_INT);
    $e = filter_var($request->get('e'), FILTER_VALIDATE_INT, ['options' => ['min_range' => 2, 'max_range' => 4]]);
    $size = filter_var($request->get('size', 0), FILTER_VALIDATE_INT, ['options' => ['max_range' => 16 * 1024 * 1024]]);
    if (!is_string($name) || !preg_match('//u', $name)) {
        return new Response(400, [], 'name must be UTF-8');
    }
    if ($x === false || $y === false || $e === false || $size === false) {
        return new Response(400, [], 'x, y and size must be numbers, and e 2, 3 or 4');
    }
    $echoed = ['Name' => $name, 'Sum' => ($x + $y) * $e];
    $missing = $size > 0 ? $size - strlen(json_encode($echoed)) : 0;
    $echoed['Name'] .= str_repeat('x', max(0, $missing));
    return new Response(200, ['Content-Type' => 'application/json'], json_encode($echoed));
});

$api->put('/users/{id:\d+}', function (Request $request, string $id) {
    $password = json_decode($request->rawBody(), true)['password'] ?? null;
    if (!is_string($password)) {
        return new Response(400, [], 'password must be a string');
    }
    $users = json_decode(file_get_contents(getenv('DATA_DIR') . '/user.json'), true);
    foreach ($users as $user) {
        if ($user['id'] === (int) $id) {
            $hash = hash('sha512', $password);
            return new Response(200, ['Content-Type' => 'application/json'], json_encode(['hash' => $hash]));
        }
    }
    return new Response(404, [], 'no such user');
});

$api->start();
