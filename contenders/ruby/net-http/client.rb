# frozen_string_literal: true

require "net/http"

def nanoseconds
  Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)
end

# A connection for each host, which is kept.
CONNECTIONS = Hash.new { |all, host| all[host] = Net::HTTP.start(*host) }

def get(url, out)
  uri = URI(url)
  CONNECTIONS[[uri.host, uri.port]].request_get(uri.request_uri) do |response|
    raise "status #{response.code}" unless response.code == "200"

    File.open(out, "wb") { |file| response.read_body { |chunk| file.write(chunk) } }
  end
end

$stdout.sync = true
$stdin.each_line do |line|
  url, out = line.delete_suffix("\n").split("\t", 2)
  began = nanoseconds
  begin
    get(url, out)
    took = nanoseconds - began
    puts "#{took}\t#{File.size(out)}"
  rescue StandardError => e
    puts "#{nanoseconds - began}\terror: #{"#{e.class}: #{e.message}".gsub(/\s+/, " ")}"
  end
end
