# frozen_string_literal: true

cores = Integer(ENV.fetch("CORES"))

environment "production"
if ENV.key?("TLS_CERT")
  ssl_bind ENV.fetch("HOST"), ENV.fetch("PORT"), cert: ENV.fetch("TLS_CERT"), key: ENV.fetch("TLS_KEY")
else
  bind "tcp://#{ENV.fetch('HOST')}:#{ENV.fetch('PORT')}"
end
threads 5, 5

# Otherwise a client that stalls inside a request holds a stop up for 30 seconds.
force_shutdown_after 2

# With one worker a cluster would only add the master process.
if cores > 1
  workers cores
  preload_app!
end
