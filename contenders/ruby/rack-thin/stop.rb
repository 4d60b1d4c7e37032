# frozen_string_literal: true

# On SIGTERM thin waits up to its 30 s timeout for a client that connected and sent nothing, or half a request.
module Stop
  def stop
    super
    EventMachine.add_timer(2) { stop! } if EventMachine.reactor_running?
  end
end

Thin::Server.prepend Stop
