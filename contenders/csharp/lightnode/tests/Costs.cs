using System.Diagnostics;
using System.Globalization;
using System.Runtime.InteropServices;

namespace LightNode.Tests;

/// <summary>CPU time per request at one rate: servers in processes of their own on one CPU, windows in turns, ratios within a round.</summary>
static class Costs
{
    const int Connections = 100;
    const double TickMilliseconds = 5;
    const double WarmUpSeconds = 10;
    const double WindowSeconds = 1;
    const int Rounds = 48;

    static readonly string[] Names = ["RequestDelegate", "RequestDelegate by hand", "LightNode"];

    public static async Task<int> Serve(string name)
    {
        await using var server = await TestServer.Start(Servers.All[name]);
        Console.WriteLine(server.Address);
        // The end of the input ends it, also where its parent was killed.
        await Console.In.ReadToEndAsync();
        return 0;
    }

    public static int Measure()
    {
        if (Environment.ProcessorCount < 2 || !OperatingSystem.IsLinux())
        {
            Console.Error.WriteLine("expected Linux with two CPUs: one for the server, one for who sends");
            return 1;
        }
        var servers = Names.Select(name => new Child(name)).ToArray();
        Process.GetCurrentProcess().ProcessorAffinity = 1;
        try
        {
            foreach (var server in servers)
            {
                server.NanosecondsPerRequest(WarmUpSeconds, everyTick: false);
            }
            var rounds = new List<double[]>();
            for (var round = 0; round < Rounds; round++)
            {
                // Who follows whom changes from round to round.
                var costs = new double[servers.Length];
                for (var turn = 0; turn < servers.Length; turn++)
                {
                    var place = (round % 2 == 0 ? turn : servers.Length - 1 - turn) + round;
                    costs[place % servers.Length] = servers[place % servers.Length].NanosecondsPerRequest(WindowSeconds, everyTick: true);
                }
                rounds.Add(costs);
            }
            for (var place = 0; place < Names.Length; place++)
            {
                Console.WriteLine($"{Names[place]}: {Spread(rounds.Select(costs => costs[place] / 1000), "F2")} µs of CPU per request");
            }
            for (var other = 0; other < Names.Length - 1; other++)
            {
                Console.WriteLine(
                    $"LightNode / {Names[other]}: {Spread(rounds.Select(costs => costs[^1] / costs[other]), "F3")}");
            }
        }
        finally
        {
            foreach (var server in servers)
            {
                server.Dispose();
            }
        }
        return 0;
    }

    /// <summary>The median, its 95 % interval by ranks, and between what all of the values lie.</summary>
    static string Spread(IEnumerable<double> values, string format)
    {
        var sorted = values.Order().ToArray();
        var median = (sorted[(sorted.Length - 1) / 2] + sorted[sorted.Length / 2]) / 2;
        var rank = (int)((sorted.Length - (1.96 * Math.Sqrt(sorted.Length))) / 2) - 1;
        string Text(double value) => value.ToString(format, CultureInfo.InvariantCulture);
        return $"median {Text(median)}, 95 % interval {Text(sorted[rank])} to {Text(sorted[^(rank + 1)])}, all {Text(sorted[0])} to {Text(sorted[^1])}";
    }

    sealed class Child : IDisposable
    {
        readonly Process process;
        readonly RawClient[] clients;

        public Child(string name)
        {
            string[] command = ["-c", "1", Environment.ProcessPath!, typeof(Costs).Assembly.Location, "--serve", name];
            process = Process.Start(new ProcessStartInfo("taskset", command)
            {
                RedirectStandardInput = true,
                RedirectStandardOutput = true,
            })!;
            var address = process.StandardOutput.ReadLine() ?? throw new Exception($"{name} did not start");
            clients = Enumerable.Range(0, Connections).Select(_ => new RawClient(new Uri(address))).ToArray();
        }

        /// <param name="everyTick">A request on each connection every 5 ms; as fast as it goes where not.</param>
        public double NanosecondsPerRequest(double seconds, bool everyTick)
        {
            var before = CpuNanoseconds();
            var requests = 0;
            var watch = Stopwatch.StartNew();
            for (var tick = 1; watch.Elapsed.TotalSeconds < seconds; tick++)
            {
                foreach (var client in clients)
                {
                    client.Send();
                }
                foreach (var client in clients)
                {
                    client.Receive();
                }
                requests += Connections;
                var left = (tick * TickMilliseconds) - watch.Elapsed.TotalMilliseconds;
                if (everyTick && left > 0)
                {
                    Thread.Sleep(TimeSpan.FromMilliseconds(left));
                }
            }
            return (CpuNanoseconds() - before) / (double)requests;
        }

        public void Dispose()
        {
            foreach (var client in clients)
            {
                client.Dispose();
            }
            process.StandardInput.Close();
            process.WaitForExit();
            process.Dispose();
        }

        /// <summary>What the kernel counts for the process, threads that have ended among them.</summary>
        long CpuNanoseconds()
        {
            // As clock_getcpuclockid makes it of a process.
            const int Scheduler = 2;
            return ClockGetTime((~process.Id << 3) | Scheduler, out var time) == 0
                ? (time.Seconds * 1_000_000_000) + time.Nanoseconds
                : throw new Exception($"the CPU time of process {process.Id} cannot be read");
        }

        [DllImport("libc", EntryPoint = "clock_gettime")]
        static extern int ClockGetTime(int clock, out Time time);

        struct Time
        {
            public long Seconds;
            public long Nanoseconds;
        }
    }
}
