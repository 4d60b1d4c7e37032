# frozen_string_literal: true

require "digest/sha2"

PARSE =
  case ARGV.fetch(0)
  when "json"
    require "json"
    ->(text) { JSON.parse(text) }
  when "oj"
    require "oj"
    ->(text) { Oj.load(text, mode: :strict) }
  end

def update_user(id, password)
  users = PARSE.call(File.read(File.join(ENV.fetch("DATA_DIR"), "user.json"), encoding: "UTF-8"))
  return "absent" unless users.any? { |user| user["id"] == id }

  Digest::SHA512.hexdigest(password)
end

def nanoseconds
  Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)
end

$stdin.set_encoding("UTF-8")
$stdout.sync = true
$stdin.each_line do |line|
  id, password = line.delete_suffix("\n").split("\t", 2)
  id = id.to_i
  began = nanoseconds
  result = update_user(id, password)
  puts "#{nanoseconds - began}\t#{result}"
end
