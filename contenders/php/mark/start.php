<?php

declare(strict_types=1);

use Mark\App;
use Workerman\Protocols\Http\Request;
use Workerman\Protocols\Http\Response;
use Workerman\Worker;

require __DIR__ . '/vendor/autoload.php';

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

$api->start();
