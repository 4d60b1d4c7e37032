using System;
using System.Net;
using System.Net.Http;
using System.Web.Http;

public class PerfController : ApiController
{
    [HttpGet]
    public Echoed Echo(string name, int x, int y, Factor e, int size = 0)
    {
        if (!ModelState.IsValid || name == null || !Enum.IsDefined(typeof(Factor), e) || size > Echoed.LargestSize)
        {
            throw new HttpResponseException(new HttpResponseMessage(HttpStatusCode.BadRequest));
        }
        return Echoed.Of(name, x, y, e, size);
    }
}
