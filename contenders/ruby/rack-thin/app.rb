# frozen_string_literal: true

require "digest/sha2"
require "json"
require "rack/request"
require "rack/utils"

class App
  USER = %r{\A/user/([^/]+)\z}
  WAIT = %r{\A/wait/(\d+)\z}
  USERS = %r{\A/users/(\d+)\z}
  PERF = %r{\A/Perf/(Flags|Array|Void|Status|Throw)\z}
  INTEGER = /\A-?\d{1,18}\z/
  LARGEST_ECHO = 16 * 1024 * 1024

  # By this status thin knows that the answer comes through its callback.
  LATER = [-1, {}, []].freeze

  def call(env)
    method = env["REQUEST_METHOD"]
    case env["PATH_INFO"]
    when "/"     then method == "GET" ? text("") : not_allowed("GET")
    when "/user" then method == "POST" ? text("") : not_allowed("POST")
    when "/Perf/Echo" then method == "GET" ? echo(env) : not_allowed("GET")
    when "/coin" then method == "POST" ? coin(env["rack.input"].read) : not_allowed("POST")
    when USER    then method == "GET" ? text(Rack::Utils.unescape_path($1)) : not_allowed("GET")
    when WAIT    then method == "GET" ? wait($1, env["async.callback"]) : not_allowed("GET")
    when USERS   then method == "PUT" ? update_user($1.to_i, env["rack.input"].read) : not_allowed("PUT")
    when PERF    then method == "GET" ? perform($1, Rack::Utils.parse_query(env["QUERY_STRING"])) : not_allowed("GET")
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

  def echo(env)
    query = Rack::Request.new(env).GET
    name = query["name"]
    x, y, e = %w[x y e].map { |key| integer(query[key]) }
    size = integer(query.fetch("size", "0"))
    return text("name must be UTF-8", 400) unless name.is_a?(String) && name.valid_encoding?
    return text("x, y and size must be numbers", 400) unless x && y && size && size <= LARGEST_ECHO
    return text("e must be 2, 3 or 4", 400) unless [2, 3, 4].include?(e)

    echoed = { "Name" => name, "Sum" => (x + y) * e }
    body = JSON.generate(echoed)
    if body.bytesize < size
      echoed["Name"] += "x" * (size - body.bytesize)
      body = JSON.generate(echoed)
    end
    reply(200, "application/json", body)
  rescue Rack::QueryParser::InvalidParameterError, Rack::QueryParser::ParameterTypeError
    text("The query is malformed", 400)
  end

  def perform(operation, query)
    case operation
    when "Flags"
      f = integer(query["f"])
      f ? reply(200, "application/json", JSON.generate("Flags" => f)) : text("f must be a number", 400)
    when "Array"
      a = Array(query["a"]).map { |text| integer(text) }
      a.all? ? reply(200, "application/json", JSON.generate("Sum" => a.sum)) : text("a must be numbers", 400)
    when "Void"
      text("")
    when "Status"
      text("", integer(query["code"]) || 400)
    when "Throw"
      raise "velo-secret-detail"
    end
  end

  def integer(text)
    text.to_i if text.is_a?(String) && text.match?(INTEGER)
  end

  def wait(ms, callback)
    return text("At most 60000", 400) if ms.to_i > 60_000

    EventMachine.add_timer(ms.to_i / 1000.0) { callback.call(text("waited #{ms}")) }
    LATER
  end

  def update_user(id, body)
    password = password_in(body)
    return text("The body must be JSON with a password", 400) unless password.is_a?(String)
    return text("Not Found", 404) unless users.any? { |user| user["id"] == id }

    reply(200, "application/json", JSON.generate("hash" => Digest::SHA512.hexdigest(password)))
  end

  def password_in(body)
    input = JSON.parse(body)
    input["password"] if input.is_a?(Hash)
  rescue JSON::ParserError
    nil
  end

  def users
    JSON.parse(File.read(File.join(ENV.fetch("DATA_DIR"), "user.json"), encoding: "UTF-8"))
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
