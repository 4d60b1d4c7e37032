<?php

declare(strict_types=1);

use Slim\App;
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
