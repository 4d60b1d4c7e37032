using System;
using System.Collections.Generic;
using System.Collections.Specialized;
using System.IO;
using System.Net;
using System.Threading.Tasks;
using AppFunc = System.Func<System.Collections.Generic.IDictionary<string, object>, System.Threading.Tasks.Task>;

/// <summary>Echo as an OWIN application with no framework around it.</summary>
sealed class RawHandler
{
    readonly Func<NameValueCollection, byte[]> answer;
    readonly bool synchronous;

    /// <param name="answer">Makes of a query the JSON that answers it, or null where a parameter is not as it should be.</param>
    RawHandler(Func<NameValueCollection, byte[]> answer, bool synchronous)
    {
        this.answer = answer;
        this.synchronous = synchronous;
    }

    public static AppFunc Of(Func<NameValueCollection, byte[]> answer, bool synchronous)
    {
        return new RawHandler(answer, synchronous).Handle;
    }

    Task Handle(IDictionary<string, object> environment)
    {
        if ((string)environment[OwinEnvironment.RequestPath] != "/Perf/Echo")
        {
            return Refuse(environment, 404);
        }
        if ((string)environment[OwinEnvironment.RequestMethod] != "GET")
        {
            return Refuse(environment, 405);
        }
        var body = answer(Query((string)environment[OwinEnvironment.RequestQueryString]));
        return body == null ? Refuse(environment, 400) : Send(environment, body);
    }

    Task Send(IDictionary<string, object> environment, byte[] body)
    {
        var headers = OwinEnvironment.Headers(environment);
        headers["Content-Type"] = new[] { "application/json" };
        headers["Content-Length"] = new[] { body.Length.ToString() };
        var stream = (Stream)environment[OwinEnvironment.ResponseBody];
        if (!synchronous)
        {
            return stream.WriteAsync(body, 0, body.Length);
        }
        stream.Write(body, 0, body.Length);
        return Task.CompletedTask;
    }

    static Task Refuse(IDictionary<string, object> environment, int status)
    {
        OwinEnvironment.SetStatus(environment, status);
        OwinEnvironment.Headers(environment)["Content-Length"] = new[] { "0" };
        return Task.CompletedTask;
    }

    // OWIN hands the query over as it was sent.
    static NameValueCollection Query(string text)
    {
        var query = new NameValueCollection();
        foreach (var pair in text.Split(new[] { '&' }, StringSplitOptions.RemoveEmptyEntries))
        {
            var equals = pair.IndexOf('=');
            var key = equals < 0 ? pair : pair.Substring(0, equals);
            var value = equals < 0 ? "" : pair.Substring(equals + 1);
            query.Add(WebUtility.UrlDecode(key), WebUtility.UrlDecode(value));
        }
        return query;
    }
}
