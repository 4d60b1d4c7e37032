using System.Web.Mvc;
using Newtonsoft.Json;

/// <summary>Json.NET in place of the JavaScriptSerializer behind Controller.Json.</summary>
public class JsonNetResult : ActionResult
{
    readonly object data;

    public JsonNetResult(object data)
    {
        this.data = data;
    }

    public override void ExecuteResult(ControllerContext context)
    {
        var response = context.HttpContext.Response;
        response.ContentType = "application/json";
        response.Write(JsonConvert.SerializeObject(data));
    }
}
