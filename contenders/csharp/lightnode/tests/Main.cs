using LightNode;
using LightNode.Tests;

switch (args)
{
    case []:
        return await Runner.Run() ? 0 : 1;
    case ["--names"]:
        Console.WriteLine(string.Join('\n', Runner.Names()));
        return 0;
    case ["--openapi"]:
        Console.WriteLine(OpenApiDocument.Of(Things.Operations, Things.Options, "Things", "1"));
        return 0;
    case ["--client", "csharp"]:
        Console.Write(CSharpClient.Generate(Things.Operations, Things.Options));
        return 0;
    case ["--client", "typescript"]:
        Console.Write(TypeScriptClient.Generate(Things.Operations, Things.Options));
        return 0;
    case ["--with-server", .. var command]:
        return await WithServer.Run(command);
    case ["--measure", "allocations"]:
        return await Allocations.Measure();
    case ["--measure", "cpu"]:
        return Costs.Measure();
    case ["--serve", var name]:
        return await Costs.Serve(name);
    default:
        Console.Error.WriteLine("expected nothing, --names, --openapi, --client csharp|typescript, --with-server COMMAND... or --measure allocations|cpu");
        return 2;
}
