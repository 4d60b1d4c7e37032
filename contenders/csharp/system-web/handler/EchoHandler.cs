using System.Web;

public class EchoHandler : IHttpHandler
{
    public bool IsReusable
    {
        get { return true; }
    }

    public void ProcessRequest(HttpContext context)
    {
        var body = EchoQuery.Answer(context.Request.QueryString);
        if (body == null)
        {
            context.Response.StatusCode = 400;
            return;
        }
        context.Response.ContentType = "application/json";
        context.Response.OutputStream.Write(body, 0, body.Length);
    }
}
