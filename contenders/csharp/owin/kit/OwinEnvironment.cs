using System;
using System.Collections.Generic;
using System.IO;
using System.Threading;

/// <summary>The dictionary in which OWIN 1.0.1 hands a request to an application, and gets the answer back.</summary>
static class OwinEnvironment
{
    public const string RequestMethod = "owin.RequestMethod";
    public const string RequestPath = "owin.RequestPath";
    public const string RequestQueryString = "owin.RequestQueryString";
    public const string ResponseBody = "owin.ResponseBody";

    const string ResponseHeaders = "owin.ResponseHeaders";
    const string ResponseStatusCode = "owin.ResponseStatusCode";

    /// <summary>All keys that the specification asks for.</summary>
    /// <param name="query">Without the question mark; empty where there is none.</param>
    public static IDictionary<string, object> Of(
        string method,
        string path,
        string query,
        string protocol,
        IDictionary<string, string[]> headers,
        Stream requestBody,
        Stream responseBody)
    {
        return new Dictionary<string, object>(StringComparer.Ordinal)
        {
            { "owin.Version", "1.0" },
            { "owin.CallCancelled", CancellationToken.None },
            { "owin.RequestScheme", "http" },
            { "owin.RequestProtocol", protocol },
            { RequestMethod, method },
            { "owin.RequestPathBase", "" },
            { RequestPath, path },
            { RequestQueryString, query },
            { "owin.RequestHeaders", headers },
            { "owin.RequestBody", requestBody },
            { ResponseHeaders, NewHeaders() },
            { ResponseBody, responseBody }
        };
    }

    public static Dictionary<string, string[]> NewHeaders()
    {
        return new Dictionary<string, string[]>(StringComparer.OrdinalIgnoreCase);
    }

    public static IDictionary<string, string[]> Headers(IDictionary<string, object> environment)
    {
        return (IDictionary<string, string[]>)environment[ResponseHeaders];
    }

    public static int Status(IDictionary<string, object> environment)
    {
        return environment.TryGetValue(ResponseStatusCode, out var status) ? (int)status : 200;
    }

    public static void SetStatus(IDictionary<string, object> environment, int status)
    {
        environment[ResponseStatusCode] = status;
    }
}
