<?php

declare(strict_types=1);

use Slim\App;
use Slim\Exception\SlimException;
use Slim\Http\Request;
use Slim\Http\Response;

require 'Slim/autoload.php';

$app = new App();

$app->get('/', function (Request $request, Response $response) {
    return $response;
});

$app->get('/user/{id}', function (Request $request, Response $response, array $args) {
    return $response->withHeader('Content-Type', 'text/plain')->write($args['id']);
});

$app->post('/user', function (Request $request, Response $response) {
    return $response;
});

$app->post('/coin', function (Request $request, Response $response) {
    $bet = $request->getParsedBodyParam('bet');
    if (!is_bool($bet)) {
        return $response->withJson(['error' => 'bet must be true or false'], 400);
    }
    return $response->withJson(['win' => (random_int(0, 1) === 1) === $bet]);
});

$app->get('/wait/{ms:[0-9]+}', function (Request $request, Response $response, array $args) {
    $ms = (int) $args['ms'];
    if ($ms > 60000) {
        return $response->withJson(['error' => 'at most 60000 milliseconds'], 400);
    }
    usleep($ms * 1000);
    return $response->withHeader('Content-Type', 'text/plain')->write('waited ' . $args['ms']);
});

$app->get('/Perf/Echo', function (Request $request, Response $response) {
    $name = $request->getQueryParam('name');
    $x = filter_var($request->getQueryParam('x'), FILTER_VALIDATE_INT);
    $y = filter_var($request->getQueryParam('y'), FILTER_VALIDATE_INT);
    $e = filter_var($request->getQueryParam('e'), FILTER_VALIDATE_INT, ['options' => ['min_range' => 2, 'max_range' => 4]]);
    $size = filter_var($request->getQueryParam('size', 0), FILTER_VALIDATE_INT, ['options' => ['max_range' => 16 * 1024 * 1024]]);
    if (!is_string($name) || !preg_match('//u', $name)) {
        return $response->withJson(['error' => 'name must be UTF-8'], 400);
    }
    if ($x === false || $y === false || $e === false || $size === false) {
        return $response->withJson(['error' => 'x, y and size must be numbers, and e 2, 3 or 4'], 400);
    }
    $echoed = ['Name' => $name, 'Sum' => ($x + $y) * $e];
    $missing = $size > 0 ? $size - strlen(json_encode($echoed)) : 0;
    $echoed['Name'] .= str_repeat('x', max(0, $missing));
    return $response->withJson($echoed);
});

$app->get('/Perf/Flags', function (Request $request, Response $response) {
    return $response->withJson(['Flags' => (int) $request->getQueryParam('f')]);
});

$app->get('/Perf/Array', function (Request $request, Response $response) {
    $numbers = array_map('intval', (array) $request->getQueryParam('a', []));
    return $response->withJson(['Sum' => array_sum($numbers)]);
});

$app->get('/Perf/Void', function () {
});

$app->get('/Perf/Status', function (Request $request, Response $response) {
    throw new SlimException($request, $response->withStatus((int) $request->getQueryParam('code')));
});

$app->get('/Perf/Throw', function () {
    throw new RuntimeException('velo-secret-detail');
});

$app->put('/users/{id:[0-9]+}', function (Request $request, Response $response, array $args) {
    $password = $request->getParsedBodyParam('password');
    if (!is_string($password)) {
        return $response->withJson(['error' => 'password must be a string'], 400);
    }
    $users = json_decode(file_get_contents(getenv('DATA_DIR') . '/user.json'), true);
    foreach ($users as $user) {
        if ($user['id'] === (int) $args['id']) {
            return $response->withJson(['hash' => hash('sha512', $password)]);
        }
    }
    return $response->withJson(['error' => 'no such user'], 404);
});

$app->run();
