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

  get "/Perf/Echo" do
    name = params[:name]
    x, y, e, size = [params[:x], params[:y], params[:e], params.fetch(:size, "0")].map do |text|
      Integer(text, 10, exception: false) if text.is_a?(String)
    end
    halt 400, "name must be a text" unless name.is_a?(String) && name.valid_encoding?
    halt 400, "x, y and size must be numbers" unless x && y && size&.between?(0, 16 * 1024 * 1024)
    halt 400, "e must be 2, 3 or 4" unless [2, 3, 4].include?(e)

    echoed = { "Name" => name, "Sum" => (x + y) * e }
    echoed["Name"] += "x" * [0, size - JSON.generate(echoed).bytesize].max if size.positive?
    content_type :json
    JSON.generate(echoed)
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

  get "/Perf/Flags" do
    content_type :json
    JSON.generate("Flags" => params[:f].to_i)
  end

  get "/Perf/Array" do
    content_type :json
    JSON.generate("Sum" => Array(params[:a]).sum(&:to_i))
  end

  get "/Perf/Void" do
  end

  get "/Perf/Status" do
    halt params[:code].to_i
  end

  get "/Perf/Throw" do
    raise "velo-secret-detail"
  end

  helpers do
    def users
      JSON.parse(File.read(File.join(ENV.fetch("DATA_DIR"), "user.json"), encoding: "UTF-8"))
    end
  end
end
