using System;
using System.Collections.Generic;
using System.IO;
using System.Net;
using System.Web;
using Microsoft.Win32.SafeHandles;

/// <summary>A request of HttpListener as System.Web wants to see it.</summary>
sealed class WorkerRequest : HttpWorkerRequest
{
    readonly HttpListenerRequest request;
    readonly HttpListenerResponse response;
    readonly string path;
    readonly string query;
    EndOfSendNotification ended;
    object endedArgument;

    public WorkerRequest(HttpListenerContext context)
    {
        request = context.Request;
        response = context.Response;
        path = request.Url.LocalPath;
        var mark = request.RawUrl.IndexOf('?');
        query = mark < 0 ? "" : request.RawUrl.Substring(mark + 1);
    }

    public override string GetHttpVerbName()
    {
        return request.HttpMethod;
    }

    public override string GetHttpVersion()
    {
        return "HTTP/" + request.ProtocolVersion;
    }

    public override string GetRawUrl()
    {
        return request.RawUrl;
    }

    public override string GetUriPath()
    {
        return path;
    }

    public override string GetPathInfo()
    {
        return "";
    }

    public override string GetQueryString()
    {
        return query;
    }

    public override string GetLocalAddress()
    {
        return request.LocalEndPoint.Address.ToString();
    }

    public override int GetLocalPort()
    {
        return request.LocalEndPoint.Port;
    }

    public override string GetRemoteAddress()
    {
        return request.RemoteEndPoint.Address.ToString();
    }

    public override int GetRemotePort()
    {
        return request.RemoteEndPoint.Port;
    }

    public override string GetAppPath()
    {
        return HttpRuntime.AppDomainAppVirtualPath;
    }

    public override string GetAppPathTranslated()
    {
        return HttpRuntime.AppDomainAppPath;
    }

    public override string GetFilePath()
    {
        return path;
    }

    public override string GetFilePathTranslated()
    {
        return MapPath(path);
    }

    public override string MapPath(string virtualPath)
    {
        var site = HttpRuntime.AppDomainAppPath;
        var file = Path.GetFullPath(Path.Combine(site, virtualPath.TrimStart('/')));
        if (!(file + "/").StartsWith(site, StringComparison.Ordinal))
        {
            throw new HttpException(404, "the path leads out of the site");
        }
        return file;
    }

    public override string GetKnownRequestHeader(int index)
    {
        return request.Headers[GetKnownRequestHeaderName(index)];
    }

    public override string GetUnknownRequestHeader(string name)
    {
        return request.Headers[name];
    }

    public override string[][] GetUnknownRequestHeaders()
    {
        var unknown = new List<string[]>();
        foreach (string name in request.Headers)
        {
            if (GetKnownRequestHeaderIndex(name) < 0)
            {
                unknown.Add(new[] { name, request.Headers[name] });
            }
        }
        return unknown.ToArray();
    }

    public override int ReadEntityBody(byte[] buffer, int size)
    {
        return request.InputStream.Read(buffer, 0, size);
    }

    public override void SendStatus(int code, string description)
    {
        response.StatusCode = code;
        response.StatusDescription = description;
    }

    public override void SendKnownResponseHeader(int index, string value)
    {
        switch (index)
        {
            case HeaderContentLength:
                response.ContentLength64 = long.Parse(value);
                break;
            // What concerns the connection is HttpListener's.
            case HeaderConnection:
            case HeaderKeepAlive:
            case HeaderTransferEncoding:
                break;
            default:
                response.AppendHeader(GetKnownResponseHeaderName(index), value);
                break;
        }
    }

    // System.Web's own error page sends known headers this way, too.
    public override void SendUnknownResponseHeader(string name, string value)
    {
        var index = GetKnownResponseHeaderIndex(name);
        if (index >= 0)
        {
            SendKnownResponseHeader(index, value);
            return;
        }
        response.AppendHeader(name, value);
    }

    public override void SendResponseFromMemory(byte[] data, int length)
    {
        ToClient(() => response.OutputStream.Write(data, 0, length));
    }

    public override void SendResponseFromFile(string name, long offset, long length)
    {
        using (var file = File.OpenRead(name))
        {
            Send(file, offset, length);
        }
    }

    public override void SendResponseFromFile(IntPtr handle, long offset, long length)
    {
        using (var file = new FileStream(new SafeFileHandle(handle, false), FileAccess.Read))
        {
            Send(file, offset, length);
        }
    }

    void Send(FileStream file, long offset, long length)
    {
        var data = new byte[length];
        file.Position = offset;
        var read = 0;
        for (int more = 1; more > 0; read += more)
        {
            more = file.Read(data, read, data.Length - read);
        }
        SendResponseFromMemory(data, read);
    }

    // HttpListener sends head and body together with the first write, and has no buffer to flush.
    public override void FlushResponse(bool finalFlush)
    {
    }

    public override void SetEndOfSendNotification(EndOfSendNotification callback, object argument)
    {
        ended = callback;
        endedArgument = argument;
    }

    public override void EndOfRequest()
    {
        ToClient(response.Close);
        ended?.Invoke(this, endedArgument);
    }

    // What System.Web calls instead where the site could not be started.
    public override void CloseConnection()
    {
        ToClient(response.Close);
    }

    // A client that went away is no error, and on a thread of the pool an exception would end the process.
    void ToClient(Action send)
    {
        try
        {
            send();
        }
        catch (Exception error) when (error is IOException || error is HttpListenerException || error is ObjectDisposedException)
        {
            response.Abort();
        }
    }
}
