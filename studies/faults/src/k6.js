// Calls a method, and counts calls by how they ended: what a script of k6 can know of each.
import grpc from 'k6/net/grpc'
import { Counter } from 'k6/metrics'

const codes = [
    'Canceled', 'Unknown', 'InvalidArgument', 'DeadlineExceeded', 'NotFound', 'AlreadyExists', 'PermissionDenied',
    'ResourceExhausted', 'FailedPrecondition', 'Aborted', 'OutOfRange', 'Unimplemented', 'Internal', 'Unavailable',
    'DataLoss', 'Unauthenticated',
]
// `http_` is before the code that k6 makes of a status of HTTP.
const names = ['right', 'wrong', 'threw', ...codes, ...codes.map((code) => `http_${code}`)]
const counters = {}
for (const name of names) {
    counters[name] = new Counter(name)
}

const client = new grpc.Client()
client.load(['.'], 'faults.proto')
const message = JSON.parse(__ENV.MESSAGE)
let connected = false

const ended = () => {
    try {
        if (!connected) {
            client.connect(__ENV.AUTHORITY, { plaintext: true, timeout: __ENV.TIMEOUT })
            connected = true
        }
        const answer = client.invoke(__ENV.METHOD, message, { timeout: __ENV.TIMEOUT })
        if (answer.status === grpc.StatusOK) {
            return answer.message && answer.message.win === true ? 'right' : 'wrong'
        }
        const code = codes.find((name) => grpc[`Status${name}`] === answer.status) || 'Unknown'
        const words = answer.error ? answer.error.message : ''
        const http = /HTTP status code received from server: (\d+)/.exec(words)
        return http && Number(http[1]) >= 300 ? `http_${code}` : code
    } catch (error) {
        console.error(error)
        return 'threw'
    }
}

export default () => {
    counters[ended()].add(1)
}

export function handleSummary(data) {
    const counts = {}
    for (const name of names) {
        if (data.metrics[name]) {
            counts[name] = data.metrics[name].values.count
        }
    }
    return { stdout: JSON.stringify(counts) }
}
