using System.Diagnostics;
using System.Runtime.InteropServices;
using System.Security.Cryptography;
using System.Text;
using System.Text.Json;
using Microsoft.AspNetCore.Http.HttpResults;

if (args is ["--version"])
{
    Console.WriteLine($"ASP.NET Core on {RuntimeInformation.FrameworkDescription}");
    return;
}

var builder = WebApplication.CreateBuilder(args);
switch (builder.Configuration["variant"])
{
    case null:
        break;
    case "raw-sync":
        Raw.Run(builder, synchronous: true);
        return;
    case "raw-async":
        Raw.Run(builder, synchronous: false);
        return;
    case "controllers":
        Controllers.Run(builder);
        return;
    case var variant:
        Console.Error.WriteLine($"--variant is {variant}; expected raw-sync, raw-async or controllers, or none at all");
        Environment.ExitCode = 2;
        return;
}

var app = builder.Build();
var json = new JsonSerializerOptions(JsonSerializerDefaults.Web);
var dataDir = app.Configuration["DATA_DIR"] ?? ".";

app.MapGet("/", () => TypedResults.Ok());

app.MapGet("/user/{id}", (string id) => id);

app.MapPost("/user", () => TypedResults.Ok());

app.MapPost("/coin", (Wager wager) => Toss.Of(wager));

app.MapGet("/Perf/Echo", Results<Ok<Echoed>, BadRequest> (string name, int x, int y, Factor e, int size = 0) =>
{
    // Binding takes any number for an enum.
    if (!Enum.IsDefined(e) || size > Echoed.LargestSize)
    {
        return TypedResults.BadRequest();
    }
    return TypedResults.Ok(Echoed.Of(name, x, y, e, size));
});

app.MapGet("/wait/{ms:int:range(0,60000)}", async (int ms) =>
{
    // Task.Delay may end up to a tick of the kernel's clock early.
    var watch = Stopwatch.StartNew();
    for (long left = ms; left > 0; left = ms - watch.ElapsedMilliseconds)
    {
        await Task.Delay((int)left);
    }
    return $"waited {ms}";
});

app.MapPut("/users/{id:int}", async Task<Results<Ok<Hashed>, BadRequest, NotFound>> (int id, Credentials credentials) =>
{
    if (credentials.Password is null)
    {
        return TypedResults.BadRequest();
    }

    await using var file = File.OpenRead(Path.Combine(dataDir, "user.json"));
    var users = await JsonSerializer.DeserializeAsync<List<User>>(file, json);
    if (users?.Find(user => user.Id == id) is null)
    {
        return TypedResults.NotFound();
    }

    var hash = SHA512.HashData(Encoding.UTF8.GetBytes(credentials.Password));
    return TypedResults.Ok(new Hashed(Convert.ToHexString(hash).ToLowerInvariant()));
});

app.MapGet("/Perf/Flags", (Bits f) => TypedResults.Ok(new Flagged((int)f)));

app.MapGet("/Perf/Array", (int[] a) => TypedResults.Ok(new Summed(a.Sum())));

app.MapGet("/Perf/Void", () => { });

app.MapGet("/Perf/Status", (int code) => TypedResults.StatusCode(code));

app.MapGet("/Perf/Throw", void () => throw new InvalidOperationException("velo-secret-detail"));

app.Run();

record Credentials(string? Password);

record Hashed(string Hash);

class User
{
    public int Id { get; set; }
    public string? Name { get; set; }
    public string? Email { get; set; }
    public int Age { get; set; }
    public bool Active { get; set; }
    public string? City { get; set; }
}
