using System;
using System.Web.Mvc;

public class PerfController : Controller
{
    // A number that is missing and must not be null would be an unhandled error.
    [HttpGet]
    public ActionResult Echo(string name, int? x, int? y, Factor? e, int size = 0)
    {
        if (!ModelState.IsValid || name == null || x == null || y == null || e == null
            || !Enum.IsDefined(typeof(Factor), e) || size > Echoed.LargestSize)
        {
            return new HttpStatusCodeResult(400);
        }
        return new JsonNetResult(Echoed.Of(name, x.Value, y.Value, e.Value, size));
    }
}
