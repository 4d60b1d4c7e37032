using System.Reflection;
using System.Runtime.InteropServices;
using LightNode;

var options = new LightNodeOptions(AcceptVerbs.Get | AcceptVerbs.Post, Json.Formatter);
var operations = Contracts.In(options, Assembly.GetExecutingAssembly());

switch (args)
{
    case ["--version"]:
        Console.WriteLine($"LightNode on ASP.NET Core, {RuntimeInformation.FrameworkDescription}");
        return;
    case ["--client", "csharp"]:
        Console.Write(CSharpClient.Generate(operations, options));
        return;
    case ["--client", "typescript"]:
        Console.Write(TypeScriptClient.Generate(operations, options));
        return;
    case ["--client", ..]:
        Console.Error.WriteLine("--client: expected csharp or typescript");
        Environment.ExitCode = 2;
        return;
}

var app = WebApplication.CreateBuilder(args).Build();

// Paths of other shapes are the job of another middleware.
app.Use((context, next) =>
{
    if (context.Request.Path == "/coin")
    {
        context.Request.Path = "/Coin/Toss";
    }
    return next(context);
});
app.UseLightNodeDescription(options, operations, title: "csharp/lightnode");
app.UseLightNode(options, operations);

app.Run();
