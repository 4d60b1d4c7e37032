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

$app->run();
