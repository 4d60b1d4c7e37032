using System.Threading.Tasks;
using System.Web;

public class EchoAsyncHandler : HttpTaskAsyncHandler
{
    public override bool IsReusable
    {
        get { return true; }
    }

    public override async Task ProcessRequestAsync(HttpContext context)
    {
        var body = EchoQuery.Answer(context.Request.QueryString);
        if (body == null)
        {
            context.Response.StatusCode = 400;
            return;
        }
        context.Response.ContentType = "application/json";
        await context.Response.OutputStream.WriteAsync(body, 0, body.Length);
    }
}
