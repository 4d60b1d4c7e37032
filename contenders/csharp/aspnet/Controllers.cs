using Microsoft.AspNetCore.Mvc;
using Microsoft.AspNetCore.Mvc.ModelBinding;

static class Controllers
{
    public static void Run(WebApplicationBuilder builder)
    {
        builder.Services.AddControllers();
        var app = builder.Build();
        app.MapControllers();
        app.Run();
    }
}

[ApiController]
[Route("[controller]/[action]")]
public class PerfController : ControllerBase
{
    // Without BindRequired a number that is missing is 0.
    [HttpGet]
    public ActionResult<Echoed> Echo(
        string name,
        [BindRequired] int x,
        [BindRequired] int y,
        [BindRequired] Factor e,
        int size = 0) => size > Echoed.LargestSize ? BadRequest() : Echoed.Of(name, x, y, e, size);

    [HttpGet]
    public ActionResult<Flagged> Flags([BindRequired] Bits f) => new Flagged((int)f);

    [HttpGet]
    public ActionResult<Summed> Array([FromQuery] int[] a) => new Summed(a.Sum());

    [HttpGet]
    public void Void()
    {
    }

    [HttpGet]
    public ActionResult Status([BindRequired] int code) => StatusCode(code);

    [HttpGet]
    public void Throw() => throw new InvalidOperationException("velo-secret-detail");
}

[ApiController]
[Route("coin")]
public class CoinController : ControllerBase
{
    [HttpPost]
    public Toss Post(Wager wager) => Toss.Of(wager);
}
