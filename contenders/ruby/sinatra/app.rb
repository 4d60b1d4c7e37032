# frozen_string_literal: true

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
end
