using System.Web;
using System.Web.Mvc;
using System.Web.Routing;

public class MvcApplication : HttpApplication
{
    protected void Application_Start()
    {
        RouteTable.Routes.MapRoute("Default", "{controller}/{action}");
    }
}
