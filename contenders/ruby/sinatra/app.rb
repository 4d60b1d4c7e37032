# frozen_string_literal: true

require "digest/sha2"
require "json"
require "sinatra/base"

class App < Sinatra::Base
  get "/" do
    ""
  end

  get "/user/:id" do
    content_type :text
    params[:id]
  end

  post "/user" do
    ""
  end

  post "/coin" do
    input = begin
      JSON.parse(request.body.read)
    rescue JSON::ParserError
      halt 400, "The body is not JSON"
    end
    bet = input["bet"] if input.is_a?(Hash)
    halt 400, "bet must be true or false" unless bet == true || bet == false

    content_type :json
    JSON.generate("win" => (rand(2) == 1) == bet)
  end

  get %r{/wait/(\d+)} do |ms|
    halt 400, "At most 60000" if ms.to_i > 60_000

    sleep ms.to_i / 1000.0
    content_type :text
    "waited #{ms}"
  end

  put %r{/users/(\d+)} do |id|
    input = begin
      JSON.parse(request.body.read)
    rescue JSON::ParserError
      halt 400, "The body is not JSON"
    end
    password = input["password"] if input.is_a?(Hash)
    halt 400, "password must be a string" unless password.is_a?(String)
    halt 404 unless users.any? { |user| user["id"] == id.to_i }

    content_type :json
    JSON.generate("hash" => Digest::SHA512.hexdigest(password))
  end

  helpers do
    def users
      JSON.parse(File.read(File.join(ENV.fetch("DATA_DIR"), "user.json"), encoding: "UTF-8"))
    end
  end
end
