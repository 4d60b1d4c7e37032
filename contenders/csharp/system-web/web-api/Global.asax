<%@ Application Inherits="WebApiApplication" Language="C#" %>
