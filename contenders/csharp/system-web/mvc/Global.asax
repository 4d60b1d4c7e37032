<%@ Application Inherits="MvcApplication" Language="C#" %>
