# frozen_string_literal: true

require "json"
require "rack/utils"

class App
  USER = %r{\A/user/([^/]+)\z}

  def call(env)
    method = env["REQUEST_METHOD"]
    case env["PATH_INFO"]
    when "/"     then method == "GET" ? text("") : not_allowed("GET")
    when "/user" then method == "POST" ? text("") : not_allowed("POST")
    when "/coin" then method == "POST" ? coin(env["rack.input"].read) : not_allowed("POST")
    when USER    then method == "GET" ? text(Rack::Utils.unescape_path($1)) : not_allowed("GET")
    else text("Not Found", 404)
    end
  end

  private

  def coin(body)
    input = JSON.parse(body)
    bet = input["bet"] if input.is_a?(Hash)
    return text("bet must be true or false", 400) unless bet == true || bet == false

    reply(200, "application/json", JSON.generate("win" => (rand(2) == 1) == bet))
  rescue JSON::ParserError
    text("The body is not JSON", 400)
  end

  def text(body, status = 200)
    reply(status, "text/plain", body)
  end

  def not_allowed(allowed)
    [405, { "Allow" => allowed, "Content-Length" => "0" }, []]
  end

  def reply(status, type, body)
    [status, { "Content-Type" => type, "Content-Length" => body.bytesize.to_s }, [body]]
  end
end
