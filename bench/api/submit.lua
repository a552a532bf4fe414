-- Submits jobs, each with a name of its own, to one queue after the other.
-- wrk -s submit.lua URL -- QUEUES OUTPUT
local threads = 0

function setup(thread)
  thread:set("id", threads)
  threads = threads + 1
end

function init(args)
  queues = tonumber(args[1])
  count = 0
  headers = { ["Content-Type"] = "application/json" }
end

function request()
  count = count + 1
  local body = '{"name":"load-' .. id .. "-" .. count .. '","queue":"q-' .. (count * 7 + id) % queues ..
    '","run_time":"1h","roles":[{"containers":[{"devices":{"count":1}}]}]}'
  return wrk.format("POST", "/v1/jobs", headers, body)
end

function done(summary, latency, requests)
  io.write("RESULT ", summary.requests, " ", summary.duration, " ", latency:percentile(50), " ",
    latency:percentile(99), " ", summary.errors.status, " ",
    summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout, "\n")
end
