using System.Diagnostics;

namespace LightNode.Tests;

/// <summary>Runs a command, with the address of a server that answers as long as it runs behind it.</summary>
static class WithServer
{
    public static async Task<int> Run(string[] command)
    {
        await using var server = await TestServer.Start(app => app.UseLightNode(Things.Options, Things.Operations));
        using var process = Process.Start(command[0], [.. command[1..], server.Address]);
        await process.WaitForExitAsync();
        return process.ExitCode;
    }
}
