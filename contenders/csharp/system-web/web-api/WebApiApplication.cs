using System.Web;
using System.Web.Http;

public class WebApiApplication : HttpApplication
{
    protected void Application_Start()
    {
        GlobalConfiguration.Configuration.Routes.MapHttpRoute("Default", "{controller}/{action}");
    }
}
