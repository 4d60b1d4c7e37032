using System;
using System.Globalization;
using System.Net;
using System.ServiceModel;
using System.ServiceModel.Web;
using System.Web;

// Parameters are texts: one of another type that cannot be read from its text ends the whole process on Mono.
[ServiceContract]
public interface IPerf
{
    [OperationContract]
    [WebGet(UriTemplate = "Echo?name={name}&x={x}&y={y}&e={e}&size={size}", ResponseFormat = WebMessageFormat.Json)]
    Echoed Echo(string name, string x, string y, string e, string size);
}

[ServiceBehavior(InstanceContextMode = InstanceContextMode.Single, ConcurrencyMode = ConcurrencyMode.Multiple)]
public class PerfService : IPerf
{
    public Echoed Echo(string name, string x, string y, string e, string size)
    {
        var request = WebOperationContext.Current.IncomingRequest;
        // Mono does not look at the method that WebGet stands for.
        if (request.Method != "GET")
        {
            return Refuse(HttpStatusCode.MethodNotAllowed);
        }
        // Mono decodes the query before it parts the parameters, so that a name ends at its first encoded &.
        name = HttpUtility.ParseQueryString(request.UriTemplateMatch.RequestUri.Query)["name"];

        var left = Integer(x);
        var right = Integer(y);
        var padding = size == null ? 0 : Integer(size);
        if (name == null || left == null || right == null || padding == null || padding > Echoed.LargestSize
            || !Enum.TryParse(e, out Factor factor) || !Enum.IsDefined(typeof(Factor), factor))
        {
            return Refuse(HttpStatusCode.BadRequest);
        }
        return Echoed.Of(name, left.Value, right.Value, factor, padding.Value);
    }

    // Mono has no WebFaultException.
    static Echoed Refuse(HttpStatusCode status)
    {
        var response = WebOperationContext.Current.OutgoingResponse;
        response.StatusCode = status;
        response.SuppressEntityBody = true;
        return null;
    }

    static int? Integer(string text)
    {
        var parsed = int.TryParse(text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out var number);
        return parsed ? number : (int?)null;
    }
}
